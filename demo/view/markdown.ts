import DOMPurify from 'dompurify'
import { Marked } from 'marked'

const marked = new Marked({ gfm: true, breaks: true, async: false })

/** No images, media, frames, forms or styles: text of a model must not load or ask for anything. */
const allowedTags = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]

/** Links go to these schemes only; each opens apart and learns nothing of this page. */
const allowedLinks = /^(?:https?|mailto):/iu

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  // What scrolls sideways must be reachable by keyboard.
  if (node.tagName === 'PRE' || node.tagName === 'TABLE') node.setAttribute('tabindex', '0')
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

/** Gives back safe HTML for text that a model wrote. Needs a DOM. */
export function renderMarkdown(text: string): string {
  return DOMPurify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ['href', 'start'],
    ALLOWED_URI_REGEXP: allowedLinks,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
