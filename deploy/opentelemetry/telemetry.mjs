// Sends the spans of `tracing: true` to a collector by OTLP over HTTP. docs/guide/tracing.md says which packages it needs.
// It is loaded before the server: NODE_OPTIONS=--import=./telemetry.mjs. The variables of OpenTelemetry say the rest:
// OTEL_SERVICE_NAME, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, and for one request in twenty
// OTEL_TRACES_SAMPLER=parentbased_traceidratio with OTEL_TRACES_SAMPLER_ARG=0.05.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

// After a stop nothing else is left to do: send what is left.
process.once('beforeExit', () => void provider.shutdown());
