import { serveThread } from '../../platform/threads/serve-thread.ts'
import { renderReceipt } from './receipt-pdf.ts'

serveThread(renderReceipt)
