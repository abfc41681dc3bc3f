// What a phone adds to the pages: its share sheet for receipts, and a page for times without connection.
const SAMPLE = { files: [new File(['%PDF-'], 'receipt.pdf', { type: 'application/pdf' })] }

async function shareFile(link) {
  const answer = await fetch(link.href)
  if (!answer.ok) throw new Error(String(answer.status))
  const [, name = 'receipt.pdf'] =
    /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? []
  const file = new File([await answer.blob()], name, { type: 'application/pdf' })
  await navigator.share({ files: [file], title: link.textContent })
}

// Only where the receipt opens for everybody who has its address.
const shareAddress = link => navigator.share({ title: link.textContent, url: link.href })

function offer(link, share) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain share'
  button.textContent = link.dataset.share
  button.setAttribute('aria-label', `${link.dataset.share}: ${link.textContent}`)
  button.addEventListener('click', () => {
    button.disabled = true
    share(link)
      // The person closed the share sheet; after anything else the receipt is downloaded as without a script.
      .catch(error => error.name !== 'AbortError' && link.click())
      .finally(() => (button.disabled = false))
  })
  link.after(' ', button)
}

const takesFiles = navigator.canShare?.(SAMPLE) ?? false
for (const link of document.querySelectorAll('a[data-share]'))
  if (takesFiles) offer(link, shareFile)
  else if (navigator.share && 'public' in link.dataset) offer(link, shareAddress)

const worker = document.querySelector('link[data-worker]')?.dataset.worker
if (worker && navigator.serviceWorker)
  addEventListener('load', () => void navigator.serviceWorker.register(worker, { scope: '/parents' }))
