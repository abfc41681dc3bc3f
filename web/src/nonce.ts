/** Styles that libraries write while they run carry the page's nonce, or its policy keeps them out. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''

// Where react-remove-scroll, which dialogues use, looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function pageNonce(): string {
  return nonce
}
