"""The inside of the stand-in: frames on pandas whose columns keep nulls apart from NaN."""
