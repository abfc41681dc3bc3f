/** Styles that libraries inject at run time need the page's nonce, or the content security policy blocks them. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''

// Where react-remove-scroll, which dialogues use, looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function pageNonce(): string {
  return nonce
}
