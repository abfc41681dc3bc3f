import type { Ground } from '../../platform/context.ts'

/** Over https the name itself keeps a page on a sibling host from planting one. */
function cookieName({ publicUrl }: Ground): string {
  return publicUrl.startsWith('https:') ? '__Host-bursar_session' : 'bursar_session'
}

export function readSessionCookie(ground: Ground, header: string | undefined): string | null {
  const name = cookieName(ground)
  for (const pair of (header ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && /^[\w-]{20,200}$/.test(value)) return value
  }
  return null
}

/** It lasts as long as the browser runs; the session itself says when it ends. */
export function sessionCookie(ground: Ground, secret: string | null): string {
  const secure = ground.publicUrl.startsWith('https:') ? '; Secure' : ''
  const life = secret === null ? '; Max-Age=0' : ''
  return `${cookieName(ground)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax${secure}${life}`
}
