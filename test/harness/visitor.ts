import assert from 'node:assert/strict'

/** A browser without a screen: keeps cookies, follows nothing by itself, sends forms. */
export type VisitorResponse = { status: number; location: string | null; text: string; headers: Headers }

export class Visitor {
  readonly #origin: string
  /** Sent with every request, such as the address that a proxy saw. */
  readonly #headers: Record<string, string>
  readonly cookies = new Map<string, string>()

  constructor(origin: string, headers: Record<string, string> = {}) {
    this.#origin = origin
    this.#headers = headers
  }

  get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<VisitorResponse> {
    return this.#send(path, { method, headers })
  }

  post(
    path: string,
    fields: Record<string, string> | [name: string, value: string][] = {},
  ): Promise<VisitorResponse> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Opens a link as a click would, up to the page it ends at. */
  async open(path: string): Promise<VisitorResponse> {
    let seen = await this.get(path)
    for (let hops = 0; seen.location !== null && hops < 5; hops++) seen = await this.get(seen.location)
    return seen
  }

  /** The secret of the forms of a page. */
  async csrf(path: string): Promise<string> {
    const { text } = await this.open(path)
    return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(`no form on ${path}: ${text}`)
  }

  async #send(path: string, init: RequestInit): Promise<VisitorResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.#origin), {
      ...init,
      redirect: 'manual',
      headers: {
        ...this.#headers,
        ...(init.headers as Record<string, string>),
        ...(cookie === '' ? {} : { cookie }),
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0\b/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
      headers: response.headers,
    }
  }
}
