import { failSpan, startCallSpan } from '../tracing/spans.ts'

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
