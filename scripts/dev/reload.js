// What the docs page runs in development: it reloads itself when there is a new server, and shows what keeps one from starting.
{
  const address = new URL('dev.json', document.querySelector('script[src*="/static/"]').src)
  const box = document.createElement('pre')
  box.setAttribute('role', 'alert')
  Object.assign(box.style, {
    position: 'fixed',
    inset: 'auto 0 0 0',
    zIndex: 1000,
    margin: 0,
    padding: '1em',
    maxHeight: '50vh',
    overflow: 'auto',
    background: '#7a1020',
    color: '#fff',
    whiteSpace: 'pre-wrap',
  })
  let known
  const look = async () => {
    try {
      const { build, faults } = await (await fetch(address, { cache: 'no-store' })).json()
      if (known !== undefined && known !== build) return location.reload()
      known = build
      box.textContent = faults.join('\n\n')
      if (faults.length > 0) document.body.append(box)
      else box.remove()
      setTimeout(look, 200)
    } catch {
      setTimeout(look, 20) // between two servers
    }
  }
  look()
}
