"""Whatever a user calls y, read into :class:`~textensor.base.labels.Labels`.

- The readers: :mod:`~textensor.base.reading.y`
- Indicators of documents x labels: :mod:`~textensor.base.reading.indicator`
- Collections of labels: :mod:`~textensor.base.reading.label_sets`
"""
