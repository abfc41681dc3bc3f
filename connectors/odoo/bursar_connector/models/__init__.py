from . import books, settings
