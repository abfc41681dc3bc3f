import * as library from '@opentelemetry/api'
import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import { setTracing } from './spans.ts'

export type TracingSettings = {
  /** Address of a collector that takes OTLP over HTTP, without `/v1/traces`. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
  /** Which part of the traces is kept, from 0 to 1. */
  ratio: number
}

const TELL_AGAIN_MS = 60_000

/** Sends spans in the background; a collector that is away costs the spans and nothing else. Answers what ends it. */
export function startTracing(
  { endpoint, headers, serviceName, ratio }: TracingSettings,
  log: Log,
): () => Promise<void> {
  warnSometimes(log)
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...headers },
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  setTracing(library)
  return async () => {
    setTracing(null)
    await provider.shutdown().catch((err: unknown) => log.warn({ err }, 'the last spans were not sent'))
  }
}

const ignore = (): void => {}

function warnSometimes(log: Log): void {
  let toldMs = -Infinity
  const tell = (message: string): void => {
    const nowMs = performance.now()
    if (nowMs - toldMs < TELL_AGAIN_MS) return
    toldMs = nowMs
    log.warn({ reason: message }, 'spans were not taken by the collector of OTEL_EXPORTER_OTLP_ENDPOINT')
  }
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
