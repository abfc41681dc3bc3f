import { connect } from 'node:tls'
import { anyAddress } from '../../platform/http-client/addresses.ts'
import { HttpClient } from '../../platform/http-client/http-client.ts'
import type { Certificate } from './doctor.rules.ts'

const TIMEOUT_MS = 10_000
const ANSWER_BYTES = 4_096

/** Asks the public address as a payer's browser would; answers what is wrong. */
export async function reachPublicUrl(publicUrl: string): Promise<string | null> {
  const http = new HttpClient({ policy: anyAddress })
  const url = new URL('/healthz', publicUrl).href
  const answer = await http.send({
    method: 'GET',
    url,
    headers: {},
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  })
  if (answer.kind === 'failed') return answer.message
  const isOurs = answer.httpStatus === 200 && /"status":\s*"success"/.test(answer.body.toString())
  return isOurs ? null : `${url} answered ${answer.httpStatus}, which is not Bursar's answer`
}

/** Posts as a provider or lender would, without a signature; answers what is wrong with the way to us. */
export async function reachCallbacks(publicUrl: string): Promise<string | null> {
  const http = new HttpClient({ policy: anyAddress })
  const url = new URL('/callbacks/lenders/nobody', publicUrl).href
  const answer = await http.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  })
  if (answer.kind === 'failed') return answer.message
  const isOurs = answer.httpStatus === 404 && /"status":\s*"error"/.test(answer.body.toString())
  return isOurs ? null : `a POST to ${url} was answered with ${answer.httpStatus}, and not by Bursar`
}

/** The certificate that the address shows, and why a browser would not trust it; null for plain http. */
export async function readCertificate(publicUrl: string): Promise<Certificate | null> {
  const { protocol, hostname, port } = new URL(publicUrl)
  if (protocol !== 'https:') return null
  const { promise, resolve, reject } = Promise.withResolvers<Certificate>()
  // A certificate that is not trusted is described and not refused: nothing is sent over this connection.
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    servername: hostname,
    rejectUnauthorized: false,
    timeout: TIMEOUT_MS,
  })
  socket.once('secureConnect', () => {
    const { valid_to: validTo } = socket.getPeerCertificate()
    const { authorized, authorizationError } = socket
    resolve({ validTo: new Date(validTo), problem: authorized ? null : String(authorizationError) })
  })
  socket.once('timeout', () => reject(new Error('no answer in time')))
  socket.once('error', reject)
  return promise.finally(() => socket.destroy())
}
