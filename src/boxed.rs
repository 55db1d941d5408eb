//! How does an error pass through many callers at little cost?
//!
//! As one word: what went wrong is an enum, a `…Fault`, and the error, `…Error`, a box of it. An error of several words is
//! copied by every `?` on its way, which was a tenth of the module.

/// Lets `?` make a fault of what caused it, and box it.
macro_rules! boxed_from {
    ($fault:ident: $($variant:ident($source:ty)),+ $(,)?) => {$(
        impl From<$source> for Box<$fault> {
            #[cold]
            fn from(source: $source) -> Box<$fault> {
                Box::new($fault::$variant(source))
            }
        }
    )+};
}
