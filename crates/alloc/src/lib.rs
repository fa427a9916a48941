//! Memory regions and recycled message buffers of the Simurgh runtime.
