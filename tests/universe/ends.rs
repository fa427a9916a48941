//! How jobs end that have met others.
