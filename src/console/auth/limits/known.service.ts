import { SECRET_PLACE } from '../../../messages/messages.rules.ts'
import { eraseSecrets, queueSecretMessage } from '../../../messages/messages.service.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { badField } from '../../../platform/errors.ts'
import type { Context } from '../../../platform/context.ts'
import { hashSecret, newSecret } from '../../../platform/secrets.ts'
import { MAIL_GAP_MS, normaliseEmail, UNLOCK_CODE_MS } from '../../console.rules.ts'
import { firstInstituteOf } from '../../team/team.store.ts'
import { newTypedCode, plainTypedCode } from '../totp.ts'
import { findUserByEmail } from '../users.store.ts'
import * as store from './known.store.ts'
import { countMailRequest, type Guess } from './tries.service.ts'
import { DAY_MS } from '../../../platform/calendar.ts'

/** What tells a person from a stranger before the password is looked at. */
export type Credentials = {
  email: string
  ip: string
  /** The secret of the device's cookie. */
  device: string | null
  mailCode: string | undefined
}

/** Somebody who cannot sign in asks for a mail. */
export type MailRequest = Pick<Credentials, 'email' | 'ip' | 'device'>

export async function recognise({ db }: Context, sent: Credentials): Promise<Guess> {
  const { email, ip, device, mailCode } = sent
  if (mailCode !== undefined) {
    const codeHash = hashSecret(plainTypedCode(mailCode))
    const since = new Date(Date.now() - UNLOCK_CODE_MS)
    if (!(await store.isCodeOf(db, email, { codeHash, since })))
      throw badField('mail_code', 'is not right, or is too old: have a new one sent')
    return { kind: 'known', as: 'code', id: codeHash.toString('base64url') }
  }
  if (device !== null) {
    const secretHash = hashSecret(device)
    const { isTheirs } = await store.findDevice(db, secretHash, { email })
    if (isTheirs) return { kind: 'known', as: 'device', id: `${secretHash.toString('base64url')} ${email}` }
  }
  return { kind: 'stranger', email, ip }
}

/** Whether somebody signed in on this device before. */
export async function isKnownDevice({ db }: Context, device: string | null): Promise<boolean> {
  return device !== null && (await store.findDevice(db, hashSecret(device), { userId: '' })).isKnown
}

const MOST_DEVICES = 50
const DEVICE_KEPT_MS = 180 * DAY_MS

/** Answers the secret for the device's cookie: colleagues who share a device share it, one that we never gave is replaced. */
export async function rememberDevice(
  tx: Transaction,
  userId: string,
  device: string | null,
): Promise<string> {
  const isKnown = device !== null && (await store.findDevice(tx, hashSecret(device), { userId })).isKnown
  const secret = isKnown ? device : newSecret()
  await store.putDevice(tx, userId, { secretHash: hashSecret(secret), most: MOST_DEVICES })
  return secret
}

/** Says nothing of whether there is such a person. Somebody who was mailed a code a moment ago has it and needs no second one. */
export async function mailUnlockCode(
  ctx: Context,
  { email: sentEmail, ip, device }: MailRequest,
): Promise<void> {
  const email = normaliseEmail(sentEmail)
  await countMailRequest(ctx, await recognise(ctx, { email, ip, device, mailCode: undefined }))
  await ctx.db.transaction(async tx => {
    const user = await findUserByEmail(tx, email)
    const instituteId = user === null ? null : await firstInstituteOf(tx, user.id)
    if (user === null || user.disabledAt !== null || instituteId === null) return
    if (await store.hasCodeSince(tx, user.id, new Date(Date.now() - MAIL_GAP_MS))) return
    const code = newTypedCode()
    await store.insertCode(tx, user.id, hashSecret(plainTypedCode(code)))
    const message = {
      instituteId,
      channel: 'email',
      recipient: email,
      subject: 'Your code for signing in to Bursar',
      body: [
        'Somebody, hopefully you, cannot sign in to the Bursar console because of too many wrong passwords. Enter this code together with your password:',
        '',
        SECRET_PLACE,
        '',
        'It works for an hour. If it was not you, ignore this mail: nobody gets in with the code alone.',
      ].join('\n'),
      about: user.id,
      at: ctx.clock.now(),
    } as const
    const until = new Date(Date.now() + UNLOCK_CODE_MS)
    await queueSecretMessage(tx, ctx, message, { text: code, until })
  })
}

/** They have done what they were for. */
export async function spendCodes({ db }: Context, userId: string): Promise<void> {
  await db.transaction(async tx => {
    await store.deleteCodesOf(tx, userId)
    await eraseSecrets(tx, [userId])
  })
}

export async function purgeKnown(db: Queryable, limit: number): Promise<number> {
  const now = Date.now()
  const devices = await store.deleteOldDevices(db, new Date(now - DEVICE_KEPT_MS), limit)
  const codes = await store.deleteOldCodes(db, new Date(now - UNLOCK_CODE_MS), limit)
  return Math.max(devices, codes)
}
