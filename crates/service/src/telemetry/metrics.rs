//! Figures: counted or measured where something happens, or read when somebody asks.

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::metrics::SdkMeterProvider;

/// A name and a value that tell the figures of one metric apart. Values must be few: never put an id
/// or anything that a client chose into one.
pub type Label = opentelemetry::KeyValue;

/// Takes a reading: a value and its labels.
type Take<'t> = &'t dyn Fn(f64, &[Label]);

/// Where figures are kept; nowhere, if metrics are off. Cloning is cheap.
///
/// ```
/// use innkeeper_service::telemetry::{Label, Metrics};
///
/// let metrics = Metrics::default();
/// let opened = metrics.counter("doors_opened_total", "Doors that were opened.");
/// opened.add(1, &[Label::new("door", "front")]);
/// metrics.gauge("guests", "Guests in the house.", |take| take(3.0, &[]));
/// assert!(!metrics.is_on());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Metrics(Option<Meter>);

/// A number that only grows.
#[derive(Debug, Clone, Default)]
pub struct Counter(Option<opentelemetry::metrics::Counter<u64>>);

/// How often which values were measured.
#[derive(Debug, Clone, Default)]
pub struct Histogram(Option<opentelemetry::metrics::Histogram<f64>>);

impl Metrics {
    pub(super) fn of(provider: &SdkMeterProvider) -> Self {
        Self(Some(provider.meter("innkeeper")))
    }

    /// Whether anybody will see the figures.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// A counter. Names are those that Prometheus shows; the names of counters end in `_total`, unless
    /// another server has made them known without.
    pub fn counter(&self, name: &'static str, doc: &'static str) -> Counter {
        let meter = self.0.as_ref();
        Counter(meter.map(|meter| meter.u64_counter(name).with_description(doc).build()))
    }

    /// A histogram of seconds.
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

    /// A value of the moment, read when somebody asks.
    pub fn gauge<F>(&self, name: &'static str, doc: &'static str, read: F)
    where
        F: Fn(Take<'_>) + Send + Sync + 'static,
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

    /// A number that only grows and is counted elsewhere, read when somebody asks.
    pub fn total<F>(&self, name: &'static str, doc: &'static str, read: F)
    where
        F: Fn(Take<'_>) + Send + Sync + 'static,
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
    /// Adds a number.
    pub fn add(&self, number: u64, labels: &[Label]) {
        if let Some(counter) = &self.0 {
            counter.add(number, labels);
        }
    }
}

impl Histogram {
    /// Counts a measured value.
    pub fn record(&self, value: f64, labels: &[Label]) {
        if let Some(histogram) = &self.0 {
            histogram.record(value, labels);
        }
    }
}
