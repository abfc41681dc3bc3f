import { serveProcess } from '../../platform/process-pool/serve.ts'
import { readLogo, BrokenPicture, writePng } from './logo-picture.ts'
import type { PlainLogo } from './school.service.ts'

serveProcess(async (content: Uint8Array): Promise<PlainLogo> => {
  try {
    return { content: writePng(readLogo(Buffer.from(content))) }
  } catch (error) {
    if (error instanceof BrokenPicture) return { problem: error.message }
    throw error
  }
})
