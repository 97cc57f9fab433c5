"""Discriminant and class-wise reducers: what LRWMMC is compared with."""
