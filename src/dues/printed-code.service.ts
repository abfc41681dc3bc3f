import { createHmac, timingSafeEqual } from 'node:crypto'
import { FAMILY_ADDRESS } from '../institutes/institutes.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'

const CODE = /^(student_[0-9a-z]{26})\.([\w-]{16})$/
const MAC_BYTES = 12

/**
 * Where a code on paper leads: to a page that asks for what a student owes on the day it is opened, for as long as the paper
 * lasts. Nobody makes such an address from the id alone.
 */
export function printedCodeUrl(
  ctx: Pick<Context, 'publicUrl' | 'vault'>,
  { code }: Pick<Institute, 'code'>,
  studentId: string,
): string {
  const mac = macOf(ctx, code, studentId).toString('base64url')
  return `${ctx.publicUrl}${FAMILY_ADDRESS}/${code}/fees/${studentId}.${mac}`
}

/** The student whose printed code it is; null for what we have not printed. */
export function readPrintedCode(
  ctx: Pick<Context, 'vault'>,
  { code }: Pick<Institute, 'code'>,
  text: string,
): string | null {
  const [, studentId, sent] = CODE.exec(text) ?? []
  if (studentId === undefined || sent === undefined) return null
  const isOurs = timingSafeEqual(macOf(ctx, code, studentId), Buffer.from(sent, 'base64url'))
  return isOurs ? studentId : null
}

function macOf({ vault }: Pick<Context, 'vault'>, instituteCode: string, studentId: string): Buffer {
  const key = vault.deriveKey('printed codes')
  return createHmac('sha256', key).update(`${instituteCode} ${studentId}`).digest().subarray(0, MAC_BYTES)
}
