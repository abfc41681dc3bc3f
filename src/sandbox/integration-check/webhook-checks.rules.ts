import { failed, type Exchange, type Verdict } from './check.rules.ts'

/** Null when a genuine delivery was accepted. */
export function judgeAccepted({ httpStatus, received }: Exchange): Verdict | null {
  if (httpStatus === null) return failed(`No answer came: ${received} Answer 2xx within 15 seconds.`)
  if (httpStatus >= 200 && httpStatus < 300) return null
  if (httpStatus === 401 || httpStatus === 403)
    return failed(
      `Your receiver answered ${httpStatus} to a genuine delivery. Compute the signature over the raw body, before anything parses it, with the secret_key of this webhook.`,
    )
  return failed(
    `Your receiver answered ${httpStatus} to a genuine delivery. Answer 2xx once the event is stored; anything else is sent again for three days.`,
  )
}

/** Null when a delivery that is not genuine was refused. */
export function judgeRefused({ httpStatus, received }: Exchange, what: string): Verdict | null {
  if (httpStatus === null) return failed(`No answer came to a delivery ${what}: ${received} Answer 401.`)
  if (httpStatus >= 400 && httpStatus < 500) return null
  if (httpStatus < 300)
    return failed(
      `Your receiver answered ${httpStatus} to a delivery ${what}: anybody could send you payments. Verify webhook-signature, or X-Signature, over the raw body and answer 401.`,
    )
  return failed(`Your receiver answered ${httpStatus} to a delivery ${what}. Refuse it with 401.`)
}
