import { serveProcess } from '../platform/process-pool/serve.ts'
import { renderDocument, type DocumentPrint } from './document-pdf.ts'
import { renderReceipt, type ReceiptPrint } from './receipt-pdf.ts'

serveProcess((print: ReceiptPrint | DocumentPrint) =>
  'blocks' in print ? renderDocument(print) : renderReceipt(print),
)
