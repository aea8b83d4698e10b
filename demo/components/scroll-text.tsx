/** Text as it is, in a box that scrolls by itself and can therefore be reached by keyboard. */
export function ScrollText({ text, isWrapped = false }: { text: string; isWrapped?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <pre class={isWrapped ? 'wrapped' : undefined} tabIndex={0} dir={isWrapped ? 'auto' : 'ltr'}>
      {text}
    </pre>
  )
}
