//! The programs that users name: where they are, which libraries they are linked with, and whether their ranks are
//! threads or processes.

mod find;
pub mod fit;
pub(crate) mod mode;
pub mod preload;

pub use find::find;
