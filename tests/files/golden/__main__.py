from tests.files.golden import write

write()
