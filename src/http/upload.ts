import { createHash, randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../institutes/institutes.rules.ts'
import type { Scope } from '../institutes/scopes.rules.ts'
import { badRequest, BursarError } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import type { Command } from '../platform/idempotency.ts'
import { callerOf } from './auth.ts'
import { answerBy, answerCommand, compileCall, NOTHING, readIdempotency } from './endpoint.ts'
import type { Reply } from './reply.ts'
import { documentUpload, type EndpointDocs } from './openapi/operation.ts'
import type { AnyInput, Read } from './wire/input.ts'

/** Operations that take a file as their body, of any size up to their own limit. */

/** A body that has arrived whole. It lies on disk, under no name: whatever becomes of us, nothing is left of it. */
export class ReceivedFile {
  readonly bytes: number
  readonly digest: Buffer
  readonly #handle: FileHandle

  constructor(handle: FileHandle, { bytes, digest }: { bytes: number; digest: Buffer }) {
    this.#handle = handle
    this.bytes = bytes
    this.digest = digest
  }

  async read(from: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.bytes - from))
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(wanted), 0, wanted, from)
    return buffer.subarray(0, bytesRead)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

type Upload<Query extends AnyInput, Result> = {
  url: string
  scope: Scope
  docs: EndpointDocs
  query: Query
  /** The types of files, as the reference names them. */
  mediaTypes: readonly string[]
  /** As `receiveFiles` was told. */
  maxBytes: number
  perform(
    command: Command<Result>,
    call: { query: Read<Query>; file: ReceivedFile; caller: Caller },
  ): Promise<Result>
  output: Reply<Result, Caller>
}

/** To be called in a scope of its own: its bodies are not read as others are. */
export function receiveFiles(scope: FastifyInstance, maxBytes: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
    receive(payload, maxBytes),
  )
  scope.addHook('onResponse', close)
  scope.addHook('onRequestAbort', close)
}

async function close({ body }: FastifyRequest): Promise<void> {
  if (body instanceof ReceivedFile) await body.close().catch(() => {})
}

export function addUpload<Query extends AnyInput, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: Upload<Query, Result>,
): void {
  const readCall = compileCall<unknown, Read<Query>, unknown>({ query: endpoint.query, body: NOTHING })
  scope.route({
    method: 'POST',
    url: endpoint.url,
    config: { scope: endpoint.scope },
    schema: documentUpload({ ...endpoint, ...endpoint.output }),
    handler: (request, reply) => {
      const caller = callerOf(request)
      const answerOf = answerBy(endpoint.output, caller)
      const idempotency = readIdempotency(request, answerOf)
      const command: Command<Result> = { instituteId: caller.institute.id, idempotency }
      return answerCommand(ctx, command, { request, reply, answerOf }, async () => {
        const { query } = readCall(request)
        return endpoint.perform(command, { query, file: fileOf(request), caller })
      })
    },
  })
}

const TEXT_OR_SHEET =
  /^\s*(text\/(csv|plain|tab-separated-values)|application\/(csv|octet-stream|vnd\.ms-excel|zip|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet))\s*(;.*)?$/i

/** A route that takes no sheets, but PDFs or pictures, takes nothing else. */
export function fileOf(request: FastifyRequest, mediaTypes: readonly string[] = []): ReceivedFile {
  const { body, declaredType } = request
  if (!(body instanceof ReceivedFile) || body.bytes === 0)
    throw badRequest('The body is empty. Send the file itself as the body.')
  if (mediaTypes.length > 0 && !mediaTypes.includes('text/csv')) {
    const declared = declaredType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (mediaTypes.includes(declared)) return body
    throw badRequest(
      `Send the file itself as the body, with the header Content-Type: ${mediaTypes.join(' or ')}.`,
    )
  }
  if (declaredType !== undefined && !TEXT_OR_SHEET.test(declaredType))
    throw badRequest(
      'Send the file itself as the body, with the header Content-Type: text/csv or that of an XLSX file.',
    )
  return body
}

async function receive(payload: AsyncIterable<Buffer>, maxBytes: number): Promise<ReceivedFile> {
  const path = join(tmpdir(), `bursar-upload-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of payload) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new BursarError(
          'HUE00004',
          `The file is larger than ${maxBytes / 1_000_000} MB. Split it into several.`,
        )
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    return new ReceivedFile(handle, { bytes, digest: hash.digest() })
  } catch (error) {
    await handle.close()
    throw error instanceof BursarError || isSystemError(error) ? error : badRequest('The body was cut short.')
  }
}

/** Such as a full disk, which is our fault; a caller that went away is not. */
function isSystemError(error: unknown): boolean {
  return (
    error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).code !== 'ECONNRESET'
  )
}
