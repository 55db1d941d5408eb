//! Who turns texts into vectors? One file a provider.

#[cfg_attr(not(test), expect(dead_code, reason = "no command embeds yet"))]
pub mod static_model;
