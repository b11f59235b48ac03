/**
 * Fetches the page again every five seconds and puts its lists in place, so focus and scrolling stay where they are.
 * Waits while the page is hidden or text in it is selected.
 */
export const SCRIPT = `
setInterval(async () => {
  const live = [...document.querySelectorAll('.live')]
  const selected = getSelection()
  const reading = !selected.isCollapsed && live.some((part) => part.contains(selected.anchorNode))
  if (document.hidden || reading) return
  const status = document.getElementById('status')
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(4000) })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const news = live.map((part) => page.getElementById(part.id))
    if (news.includes(null)) throw new Error('the answer was ' + answer.status)
    live.forEach((part, i) => part.replaceChildren(...news[i].childNodes))
    status.textContent = ''
  } catch (error) {
    status.textContent = 'No news: ' + error.message
  }
}, 5000)
`
