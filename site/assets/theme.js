// Sets light or dark mode before the page is drawn, by the reader's choice or the system's preference.
const THEME_KEY = 'offerbook-docs-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function showTheme() {
  const theme = localStorage.getItem(THEME_KEY) ?? (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = theme;
  // Swagger UI looks for this class on the API reference.
  document.documentElement.classList.toggle('dark-mode', theme === 'dark');
}

document.documentElement.classList.add('js');
showTheme();
dark.addEventListener('change', showTheme);
addEventListener('click', (event) => {
  if (event.target.closest('.theme-button') === null) return;
  localStorage.setItem(THEME_KEY, document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  showTheme();
});
