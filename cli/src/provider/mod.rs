//! Who turns texts into vectors? One file a provider.

pub mod static_model;
