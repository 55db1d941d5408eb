//! How do several lists become one? (interim)
/// c
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// k
    pub keyword: Option<f64>,
    /// v
    pub vector: Option<f64>,
}
/// r
pub fn recency_boost(at: f64, now: f64, floor: f64) -> f64 {
    let hours = ((now - at) / 3_600_000.0).max(0.0);
    (1.0 / (1.0 + libm::log(1.0 + hours / 24.0))).max(floor)
}
