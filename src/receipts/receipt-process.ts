import { serveProcess } from '../platform/process-pool/serve.ts'
import { renderDocument, type DocumentPrint } from './document-pdf.ts'
import { renderReceipt, renderReceipts, type ReceiptPrint, type ReceiptsPrint } from './receipt-pdf.ts'

serveProcess((print: ReceiptPrint | ReceiptsPrint | DocumentPrint) => {
  if ('blocks' in print) return renderDocument(print)
  return 'receipts' in print ? renderReceipts(print) : renderReceipt(print)
})
