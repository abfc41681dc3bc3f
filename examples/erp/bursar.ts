// In a project of your own: npm install bursar-sdk, and import from 'bursar-sdk'.
export { Bursar, SignatureError, verifyWebhook } from '../../sdk/node/src/index.ts'
export type { PaymentBlock, WebhookEvent } from '../../sdk/node/src/types.ts'
