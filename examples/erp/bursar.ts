// In a project of your own: install the client as sdk/node/README.md says, and import from 'bursar-sdk'.
export { Bursar, SignatureError, verifyWebhook } from '../../sdk/node/src/index.ts'
export type { PaymentBlock, WebhookEvent } from '../../sdk/node/src/types.ts'
