//! How does an error pass through many callers cheaply?
//!
//! Each error type `…Error` is a `Box` of an enum `…Fault`, so a `Result` carries one pointer. Every `?` copies the
//! error it propagates; unboxed errors of several words made up a tenth of the WebAssembly module.

/// Implements `From` for each listed source error, so that `?` wraps it in the fault's variant and boxes it.
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
