import type { Context } from '../../platform/context.ts'

/** Over https the name itself keeps a page on a sibling host from planting one. */
function cookieName({ publicUrl }: Context): string {
  return publicUrl.startsWith('https:') ? '__Host-bursar_session' : 'bursar_session'
}

export function readSessionCookie(ctx: Context, header: string | undefined): string | null {
  const name = cookieName(ctx)
  for (const pair of (header ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && /^[\w-]{20,200}$/.test(value)) return value
  }
  return null
}

/** It lasts as long as the browser runs; the session itself says when it ends. */
export function sessionCookie(ctx: Context, secret: string | null): string {
  const secure = ctx.publicUrl.startsWith('https:') ? '; Secure' : ''
  const life = secret === null ? '; Max-Age=0' : ''
  return `${cookieName(ctx)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax${secure}${life}`
}
