import { failSpan, startCallSpan } from '../tracing/spans.ts'
import type { HttpRequest, HttpResult } from './http-client.ts'

/** Begins the span of a call; what it answers ends it and hands the result on. Paths and queries may name people. */
export function traceCall(
  { method, url }: Pick<HttpRequest, 'method' | 'url'>,
  name: string,
  { parent = null, ...more }: { parent?: string | null; [attribute: string]: string | null } = {},
): (result: HttpResult) => HttpResult {
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
