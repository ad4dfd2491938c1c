//! `separated_by`, `matrix` and conversions of your own.
