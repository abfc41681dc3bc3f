import { badField } from '../../platform/errors.ts'
import { ProcessFailure, ProcessPool } from '../../platform/process-pool/process-pool.ts'

export type PlainLogo = { content: Uint8Array } | { problem: string }

/** A picture comes from a stranger: it is drawn once, here, so that no page and no receipt has to. */
const decoders = new ProcessPool<Uint8Array, PlainLogo>(new URL('logo-process.ts', import.meta.url), {
  maxMs: 10_000,
  maxHeapMb: 64,
  processes: 1,
  maxWaiting: 3,
  idleMs: 0,
})

/** The picture as a plain small PNG; one that cannot be drawn is refused. */
export async function makePlainLogo(instituteId: number, content: Buffer): Promise<Buffer> {
  const plain = await draw(instituteId, content)
  if ('problem' in plain) throw badField('file', plain.problem)
  return Buffer.from(plain.content)
}

async function draw(instituteId: number, content: Buffer): Promise<PlainLogo> {
  try {
    return await decoders.use(ask => ask(content), { share: instituteId, isUrgent: true })
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    return { problem: 'takes too long or too much memory to draw. Save it again as a smaller PNG' }
  }
}
