//! Counters, histograms and gauges.

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::metrics::SdkMeterProvider;

/// A name and a value that distinguish the series of one metric. A label must have few values: never an
/// id, or anything that a client chooses.
pub type Label = opentelemetry::KeyValue;

/// Records the current value of a series.
type Report<'r> = &'r dyn Fn(f64, &[Label]);

/// Creates metrics, which do nothing if metrics are off. Cloning is cheap.
///
/// ```
/// use innkeeper_service::telemetry::{Label, Metrics};
///
/// let metrics = Metrics::default();
/// let opened = metrics.counter("doors_opened_total", "Doors that were opened.");
/// opened.add(1, &[Label::new("door", "front")]);
/// metrics.gauge("guests", "Guests in the house.", |report| report(3.0, &[]));
/// assert!(!metrics.is_on());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Metrics(Option<Meter>);

/// A number that only grows.
#[derive(Debug, Clone, Default)]
pub struct Counter(Option<opentelemetry::metrics::Counter<u64>>);

/// The distribution of measured values.
#[derive(Debug, Clone, Default)]
pub struct Histogram(Option<opentelemetry::metrics::Histogram<f64>>);

impl Metrics {
    pub(super) fn new(provider: &SdkMeterProvider) -> Self {
        Self(Some(provider.meter("innkeeper")))
    }

    /// Whether the metrics are exported.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Creates a counter. Its name is the one that Prometheus shows and ends in `_total`, unless GoTrue
    /// has the same counter without.
    pub fn counter(&self, name: &'static str, doc: &'static str) -> Counter {
        let meter = self.0.as_ref();
        Counter(meter.map(|meter| meter.u64_counter(name).with_description(doc).build()))
    }

    /// Creates a histogram of seconds.
    pub fn seconds(&self, name: &'static str, doc: &'static str, bounds: &[f64]) -> Histogram {
        let meter = self.0.as_ref();
        Histogram(meter.map(|meter| {
            meter
                .f64_histogram(name)
                .with_description(doc)
                .with_unit("s")
                .with_boundaries(bounds.to_vec())
                .build()
        }))
    }

    /// Creates a gauge, whose values `read` reports whenever metrics are exported.
    pub fn gauge<F>(&self, name: &'static str, doc: &'static str, read: F)
    where
        F: Fn(Report<'_>) + Send + Sync + 'static,
    {
        if let Some(meter) = &self.0 {
            meter
                .f64_observable_gauge(name)
                .with_description(doc)
                .with_callback(move |observer| {
                    read(&|value, labels| observer.observe(value, labels));
                })
                .build();
        }
    }

    /// Creates a counter that is counted elsewhere, whose values `read` reports whenever metrics are
    /// exported.
    pub fn total<F>(&self, name: &'static str, doc: &'static str, read: F)
    where
        F: Fn(Report<'_>) + Send + Sync + 'static,
    {
        if let Some(meter) = &self.0 {
            meter
                .f64_observable_counter(name)
                .with_description(doc)
                .with_callback(move |observer| {
                    read(&|value, labels| observer.observe(value, labels));
                })
                .build();
        }
    }
}

impl Counter {
    /// Adds a number to the series with these labels.
    pub fn add(&self, number: u64, labels: &[Label]) {
        if let Some(counter) = &self.0 {
            counter.add(number, labels);
        }
    }
}

impl Histogram {
    /// Records a measured value in the series with these labels.
    pub fn record(&self, value: f64, labels: &[Label]) {
        if let Some(histogram) = &self.0 {
            histogram.record(value, labels);
        }
    }
}
