"""Acuity on Spark: audits of web archives that are larger than one machine, with the figures of one machine."""
