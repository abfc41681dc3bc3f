import { serveProcess } from '../../platform/process-pool/serve.ts'
import { BrokenPicture, drawIcon, readLogo, writePng } from './logo-picture.ts'
import type { LogoDrawing } from './school.service.ts'

serveProcess(async (content: Uint8Array): Promise<LogoDrawing> => {
  try {
    const logo = readLogo(Buffer.from(content))
    return { content: writePng(logo), icons: { 192: drawIcon(logo, 192), 512: drawIcon(logo, 512) } }
  } catch (error) {
    if (error instanceof BrokenPicture) return { problem: error.message }
    throw error
  }
})
