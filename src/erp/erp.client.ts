import { mergeHeaders, type HttpClient } from '../platform/http-client/http-client.ts'
import { MAX_ANSWER_BYTES, understand, ACCEPTED_ENCODINGS } from './answer.ts'
import type { Demands } from './record.input.ts'
import type { LookupValues, ErpAnswer } from './erp.rules.ts'

/** The contract's limit: an answer that is not whole by then is none. */
export const ERP_TIMEOUT_MS = 15_000
const OWN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': ACCEPTED_ENCODINGS,
  'user-agent': 'Bursar-Pull/1.0',
}

export type FetchCall = {
  url: string
  /** Headers that authenticate us at the ERP. */
  headers: Readonly<Record<string, string>>
  asked: LookupValues
  demands: Demands
  timeoutMs: number
}

/** One GET on the ERP's fetch-student endpoint; whatever happens is an answer. */
export async function fetchStudent(httpClient: HttpClient, call: FetchCall): Promise<ErpAnswer> {
  const result = await httpClient.send({
    method: 'GET',
    url: call.url,
    headers: mergeHeaders(OWN_HEADERS, call.headers),
    timeoutMs: call.timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return understand(result, call.asked, call.demands)
}
