import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context as TraceContext,
  type Span,
} from '@opentelemetry/api'

/**
 * What a process spends its time on, for a collector of traces. Off unless `startTracing` was called, and then it costs
 * nothing but the question. Attributes name kinds of things and our own ids, never people or what they sent.
 */
const TRACER = trace.getTracer('bursar')
const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
let isOn = false

export function setTracing(on: boolean): void {
  isOn = on
}

/** Around work that others may be part of: what it causes is shown below it. */
export async function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isOn) return work()
  return TRACER.startActiveSpan(name, { attributes }, async span => {
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

/** A request that somebody sends us; nothing before it is part of its trace. */
export function startRequestSpan(name: string): { span: Span; within: TraceContext } {
  const span = TRACER.startSpan(name, { kind: SpanKind.SERVER, root: true })
  return { span, within: trace.setSpan(context.active(), span) }
}

/** A call to another host. `parent` is what `traceParent` answered where it was caused; null: what we are part of. */
export function startCallSpan(
  name: string,
  attributes: Attributes,
  parent: string | null = null,
): Span | null {
  if (!isOn) return null
  return TRACER.startSpan(name, { kind: SpanKind.CLIENT, attributes }, within(parent))
}

export function failSpan(span: Span, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: reason })
}

/** Where we are, in the words of W3C Trace Context, to go on from later and elsewhere. */
export function traceParent(): string | null {
  const here = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  if (here === undefined) return null
  return `00-${here.traceId}-${here.spanId}-${here.traceFlags.toString(16).padStart(2, '0')}`
}

function within(parent: string | null): TraceContext {
  const [, traceId, spanId, flags = '00'] = (parent === null ? null : TRACE_PARENT.exec(parent)) ?? []
  if (traceId === undefined || spanId === undefined) return context.active()
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, spanContext)
}
