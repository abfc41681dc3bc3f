import { serveProcess } from '../platform/process-pool/serve.ts'
import { renderReceipt } from './receipt-pdf.ts'

serveProcess(renderReceipt)
