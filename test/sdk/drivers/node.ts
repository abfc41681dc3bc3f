import { createInterface } from 'node:readline'
import { ApiError, Bursar, List, verifyWebhook } from '../../../sdk/node/src/index.ts'

/** The Node client behind the protocol of driver.ts. */
const env = process.env
const bursar = new Bursar({
  baseUrl: env['BURSAR_URL'] ?? '',
  apiKey: env['BURSAR_KEY'] ?? '',
  apiSecret: env['BURSAR_SECRET'] ?? '',
  timeoutMs: Number(env['BURSAR_TIMEOUT_MS']),
})

type Question = {
  call: string
  args: unknown[]
  query?: object
  file?: { text: string; contentType: string }
  options?: object
  verify?: { body: string; headers: Record<string, string>; secret: string | string[]; now?: number }
}

async function answer({ call, args, query, file, options, verify }: Question): Promise<unknown> {
  if (verify !== undefined)
    return verifyWebhook(
      verify.body,
      verify.headers,
      verify.secret,
      verify.now === undefined ? {} : { now: verify.now },
    )
  const sent = [
    ...args,
    ...(file === undefined ? [] : [{ bytes: Buffer.from(file.text), contentType: file.contentType }]),
    ...(query === undefined ? [] : [query]),
    ...(options === undefined ? [] : [options]),
  ]
  const operation = bursar[call as keyof Bursar] as (...all: unknown[]) => unknown
  const result = await operation.apply(bursar, sent)
  if (result instanceof List) return result.toArray()
  return result instanceof Uint8Array ? Buffer.from(result).toString('base64') : result
}

function toJson(error: unknown): object {
  const { name, message } = error as Error
  if (!(error instanceof ApiError)) return { class: name, message }
  const { code, fields, requestId, httpStatus } = error
  return { class: name, message, code, fields, request_id: requestId, http_status: httpStatus }
}

for await (const line of createInterface({ input: process.stdin })) {
  const result = await answer(JSON.parse(line) as Question).then(
    value => ({ value }),
    (error: unknown) => ({ error: toJson(error) }),
  )
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
