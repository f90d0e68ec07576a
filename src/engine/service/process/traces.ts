import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, createTraceState, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import * as sdk from '@opentelemetry/sdk-trace-node'
import type { FastifyInstance } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import { redactor } from '../callers/redaction.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { within } from '../runtime/within.ts'

export type Traces = ReturnType<typeof openTraces>

/** Longest time for the collector to take spans, with repetitions, in ms. A stop waits as long. */
const answerWithin = 2_000
/** The least time between two log lines on a failing collector, in ms. */
const tellEvery = 60_000

/**
 * Sends spans to a collector: one for each request, named by the operation, and within it one for each PostgreSQL query.
 * The first request has the span of a shared statement. To be called before pg is loaded, as it is traced from then on.
 * Source: OpenTelemetry's semantic conventions (HTTP, databases).
 */
export function openTraces(name: string, { model }: Contract, endpoint: string, log: Log) {
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = (message: string) => {
    if (performance.now() - toldAt < tellEvery) return
    toldAt = performance.now()
    log.warn({ reason: message }, 'Traces do not reach the collector at OTEL_EXPORTER_OTLP_ENDPOINT')
  }
  const { title, version } = model.document.info
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const provider = new sdk.NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': title, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(keylessExporter(url, redactor(name), tell))],
  })
  provider.register()

  const statements = new PgInstrumentation({
    requireParentSpan: true,
    ignoreConnectSpans: true,
    requestHook: (span, { query }) => span.updateName(/\w+/.exec(query.text)?.[0].toUpperCase() ?? ''),
  })
  const requests = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false, // an error's text may hold values
    requestHook(span, request) {
      const path = request.url.split('?', 1)[0] ?? '' // a query may hold a key
      const operation = model.operation(request.destination.operationId ?? '')
      span.updateName(operation?.id ?? request.method)
      span.setAttributes({
        ...(operation && { 'http.route': operation.path }),
        'url.path': path,
        'url.scheme': request.protocol,
        'client.address': request.ip,
        'http.response.header.x-request-id': [request.id],
      })
    },
  })
  const unregister = registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [statements, requests],
  })

  return {
    /** Traces each request of an instance, to what is registered on it from then on. */
    prepare(app: FastifyInstance): void {
      void app.register(requests.plugin())
      // After a body the connection calls the next handler, in a context without the request.
      app.addHook('preHandler', (request, _reply, done) =>
        context.with(request.opentelemetry().context ?? context.active(), done),
      )
      app.addHook('onSend', (request, reply, payload, done) => {
        const { span } = request.opentelemetry()
        if (request.refusal !== null) span?.setAttribute('refusal', request.refusal)
        if (reply.statusCode >= 500)
          span?.setAttribute('error.type', request.refusal ?? String(reply.statusCode))
        done(null, payload)
      })
    },
    /** Sends the remaining spans, if that takes only a moment. */
    async close(): Promise<void> {
      unregister()
      const sent = provider.shutdown().catch((error: unknown) => tell(String(error)))
      await within(answerWithin, sent, undefined)
    },
  }
}

/** Callers may put a key anywhere, into `tracestate` too. Each span is searched for keys before it is sent. */
function keylessExporter(
  url: string,
  redact: (text: string) => string,
  tell: (failure: string) => void,
): sdk.SpanExporter {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: answerWithin })
  return {
    export(spans, done) {
      const seen = spans.map(span => keyless(span, redact))
      exporter.export(seen, result => {
        if (result.error) tell(result.error.message)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** Returns a view of a span. All properties that are not named here are the span's own. */
function keyless(span: sdk.ReadableSpan, redact: (text: string) => string): sdk.ReadableSpan {
  const { name, attributes, events } = span
  const status = statusOf(span)
  const { traceState, ...identifiers } = span.spanContext()
  const state = traceState && createTraceState(redact(traceState.serialize()))
  const texts = JSON.parse(redact(JSON.stringify({ name, status, attributes, events })))
  const spanContext = () => ({ ...identifiers, ...(state && { traceState: state }) })
  return Object.assign(Object.create(span), texts, { spanContext })
}

/**
 * Returns the status of a span. The plugin takes each refusal for an error of the service, and passes on its text, which may hold
 * values. Source: OpenTelemetry's semantic conventions for HTTP spans, Status.
 */
function statusOf({ kind, status, attributes }: sdk.ReadableSpan): sdk.ReadableSpan['status'] {
  if (kind !== SpanKind.SERVER) return status
  const isError = Number(attributes['http.response.status_code']) >= 500
  return { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET }
}
