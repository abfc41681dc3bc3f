import type { Context } from '../../platform/context.ts'

type Cookie = 'session' | 'device'

/** How long a browser keeps its device's cookie, renewed at each sign-in. */
const DEVICE_S = 180 * 86_400

/**
 * Over https the name itself keeps a page on a sibling host from planting one. Cells have one address and people of their
 * own: each has cookies of its own, so that who works in two is signed in to both.
 */
function cookieName({ publicUrl, cell }: Context, cookie: Cookie): string {
  const name = `bursar_${cell === null ? '' : `${cell}_`}${cookie}`
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}

export function readSessionCookie(ctx: Context, header: string | undefined): string | null {
  return readCookie(cookieName(ctx, 'session'), header)
}

export function readDeviceCookie(ctx: Context, header: string | undefined): string | null {
  return readCookie(cookieName(ctx, 'device'), header)
}

function readCookie(name: string, header = ''): string | null {
  for (const pair of header.split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && /^[\w-]{20,200}$/.test(value)) return value
  }
  return null
}

/** It lasts as long as the browser runs; the session itself says when it ends. */
export function sessionCookie(ctx: Context, secret: string | null): string {
  return writeCookie(ctx, 'session', secret ?? '', secret === null ? 0 : null)
}

/** It opens nothing. A browser that tries passwords with it is counted apart from strangers. */
export function deviceCookie(ctx: Context, secret: string): string {
  return writeCookie(ctx, 'device', secret, DEVICE_S)
}

function writeCookie(ctx: Context, cookie: Cookie, value: string, maxAgeS: number | null): string {
  const life = maxAgeS === null ? '' : `; Max-Age=${maxAgeS}`
  const secure = ctx.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(ctx, cookie)}=${value}${life}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
