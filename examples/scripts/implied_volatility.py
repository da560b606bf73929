"""Implied volatilities of option chains on a real price series, by Newton's method.

The prices are the daily closes of Google from 2004 to 2008 that matplotlib ships. For every day a
chain of calls is quoted from that day's historical volatility with a smile on top, rounded to
cents; the volatility of each quote is then recovered, all contracts at once.

usage: implied_volatility.py OUTPUT_FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

WINDOW = 60  # trading days of history behind a day's volatility
RATE = 0.04
ITERATIONS = 7
MONEYNESS = np.linspace(0.8, 1.25, 201)
MATURITIES = np.array([1, 2, 3, 4, 6, 9, 12, 15, 18, 24, 30, 36]) / 12.0  # years


def load_closes():
    package = Path(find_spec("matplotlib").origin).parent
    data = np.load(package / "mpl-data" / "sample_data" / "goog.npz")["price_data"]
    return data["adj_close"]


def norm_cdf(x):
    """Normal distribution function (Abramowitz and Stegun 26.2.17; error below 7.5e-8)."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = poly * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return np.where(x >= 0, 1 - tail, tail)


def black_scholes(spot, strike, years, rate, sigma):
    """Price of a call and its derivative with respect to volatility (vega)."""
    root = sigma * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / root
    d2 = d1 - root
    price = spot * norm_cdf(d1) - strike * np.exp(-rate * years) * norm_cdf(d2)
    vega = spot * np.sqrt(years) * np.exp(-0.5 * d1 * d1) / np.sqrt(2 * np.pi)
    return price, vega


def implied_volatility(price, spot, strike, years, rate):
    """Newton's iteration from the inflexion point of the price, where it cannot overshoot."""
    sigma = np.sqrt(2 * np.abs(np.log(spot / strike) + rate * years) / years)
    sigma = np.clip(sigma, 0.1, 2.0)
    for _ in range(ITERATIONS):
        model, vega = black_scholes(spot, strike, years, rate, sigma)
        sigma = np.clip(sigma - (model - price) / np.maximum(vega, 1e-8), 0.01, 4.0)
    return sigma


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)

    close = load_closes()
    returns = np.diff(np.log(close))
    windows = np.lib.stride_tricks.sliding_window_view(returns, WINDOW)
    history = windows.std(axis=1, ddof=1) * np.sqrt(252)
    spot = close[WINDOW:]

    # days x maturities x strikes
    shape = (spot.size, MATURITIES.size, MONEYNESS.size)
    spots = np.broadcast_to(spot[:, None, None], shape).copy()
    strikes = spots * MONEYNESS
    years = np.broadcast_to(MATURITIES[:, None], shape).copy()
    shift = np.log(MONEYNESS)
    smile = history[:, None, None] * (1 + 0.6 * shift**2 / np.sqrt(years) - 0.1 * shift)
    quotes, vega = black_scholes(spots, strikes, years, RATE, smile)
    quotes = np.round(quotes, 2)
    liquid = vega > 1.0  # elsewhere the price says nothing about the volatility

    implied = implied_volatility(quotes, spots, strikes, years, RATE)
    model, _ = black_scholes(spots, strikes, years, RATE, implied)
    error = np.abs(model - quotes)
    implied[~liquid] = np.nan
    print(f"days            {spot.size}, contracts {quotes.size}, of them liquid {np.count_nonzero(liquid)}")
    print(f"history         {history.mean():.6f} mean, {history.min():.6f} to {history.max():.6f}")
    print(f"quotes          {quotes.sum():.2f} in all, dearest {quotes.max():.2f}")
    print(f"converged       {np.count_nonzero(error[liquid] < 0.005)} to half a cent")
    print(f"implied - true  {np.abs(implied - smile)[liquid].mean():.7f} mean, in volatility points")
    for years_, row in zip(MATURITIES, np.nanmean(implied, axis=0)):
        middle = row[MONEYNESS.size // 2]
        print(f"  {years_:5.3f} years   at the money {middle:.6f}   smile {row[0] - row[-1]:+.6f}")

    np.savez(out / "implied_volatility.npz", quotes=quotes, implied=implied, liquid=liquid)


if __name__ == "__main__":
    main()
