import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context as TraceContext, Span } from '@opentelemetry/api'

/**
 * What a process spends its time on, for a collector of traces. Off unless `startTracing` was called, and then it costs
 * nothing but the question: the library is not even loaded. Attributes name kinds of things and our own ids, never people
 * or what they sent.
 */
type Library = typeof OpenTelemetry
let library: Library | null = null

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Null: nothing is traced from now on. */
export function setTracing(by: Library | null): void {
  library = by
}

function tracer({ trace }: Library): OpenTelemetry.Tracer {
  return trace.getTracer('bursar')
}

/** Around work that others may be part of: what it causes is shown below it. */
export async function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (library === null) return work()
  return tracer(library).startActiveSpan(name, { attributes }, async span => {
    try {
      return await work()
    } catch (error) {
      failSpan(span, error instanceof Error ? error.name : 'error')
      throw error
    } finally {
      span.end()
    }
  })
}

export type TracedRequest = { span: Span; go: (on: () => void) => void }

/** A request that somebody sends us; nothing before it is part of its trace. What `go` calls is part of it. */
export function startRequestSpan(name: string): TracedRequest | null {
  if (library === null) return null
  const { context, SpanKind, trace } = library
  const span = tracer(library).startSpan(name, { kind: SpanKind.SERVER, root: true })
  const within = trace.setSpan(context.active(), span)
  return { span, go: on => context.with(within, on) }
}

/** A call to another host. `parent` is what `traceParent` answered where it was caused; null: what we are part of. */
function startCallSpan(name: string, attributes: Attributes, parent: string | null = null): Span | null {
  if (library === null) return null
  const kind = library.SpanKind.CLIENT
  return tracer(library).startSpan(name, { kind, attributes }, contextOf(library, parent))
}

export function failSpan(span: Span, reason: string): void {
  if (library !== null) span.setStatus({ code: library.SpanStatusCode.ERROR, message: reason })
}

/** Where we are, in the words of W3C Trace Context, to go on from later and elsewhere. */
export function traceParent(): string | null {
  const here = library?.trace.getActiveSpan()?.spanContext()
  if (here === undefined) return null
  return `00-${here.traceId}-${here.spanId}-${here.traceFlags.toString(16).padStart(2, '0')}`
}

function contextOf({ context, ROOT_CONTEXT, trace }: Library, parent: string | null): TraceContext {
  const [, traceId, spanId, flags = '00'] = (parent === null ? null : TRACE_PARENT.exec(parent)) ?? []
  if (traceId === undefined || spanId === undefined) return context.active()
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, spanContext)
}

/** What a span is told of a call's end. */
type CallEnd = { kind: 'answered'; httpStatus: number } | { kind: 'failed'; reason: string }

/** Begins the span of a call; what it answers ends it and hands the result on. Paths and queries may name people. */
export function traceCall(
  { method, url }: { method: string; url: string },
  name: string,
  { parent = null, ...more }: { parent?: string | null; [attribute: string]: string | null } = {},
): <Result extends CallEnd>(result: Result) => Result {
  const span = startCallSpan(name, {}, parent)
  if (span === null) return result => result
  span.setAttributes({ 'http.request.method': method, 'server.address': URL.parse(url)?.hostname ?? '' })
  for (const [attribute, value] of Object.entries(more))
    if (value !== null) span.setAttribute(attribute, value)
  return result => {
    if (result.kind === 'answered') span.setAttribute('http.response.status_code', result.httpStatus)
    else failSpan(span, result.reason)
    span.end()
    return result
  }
}
