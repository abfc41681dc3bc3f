import { anyAddress } from '../../platform/http-client/addresses.ts'
import { HttpClient } from '../../platform/http-client/http-client.ts'

const TIMEOUT_MS = 5_000
const MOST_BYTES = 1_000_000

/** Figures of jobs and calls of the process there, by name; null: none answers, or it shows them to nobody. */
export async function readFigures(
  origin: string,
  metricsToken: string | null = null,
): Promise<Record<string, number> | null> {
  const headers = metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` }
  const answer = await new HttpClient({ policy: anyAddress }).send({
    method: 'GET',
    url: new URL('/metrics', origin).href,
    headers,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
  })
  if (answer.kind === 'failed' || answer.httpStatus !== 200) return null
  const lines = answer.body.toString().split('\n')
  const figures = lines.filter(line => line.startsWith('bursar_') && !line.startsWith('bursar_http_'))
  return Object.fromEntries(
    figures.map(line => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
