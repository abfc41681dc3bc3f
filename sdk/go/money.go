package bursar

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Amount is an amount of rupees as text with two decimals, such as "1234567.89": exact, and never a binary fraction.
// It is empty where no amount was given.
type Amount string

// Paise makes an amount of a whole number of paise.
func Paise(paise int64) Amount {
	sign, size := "", uint64(paise)
	if paise < 0 {
		sign, size = "-", -uint64(paise)
	}
	return Amount(fmt.Sprintf("%s%d.%02d", sign, size/100, size%100))
}

// Paise gives the amount as a whole number of paise; an error if it is not one.
func (a Amount) Paise() (int64, error) {
	whole, decimals, _ := strings.Cut(string(a), ".")
	if whole == "" || len(decimals) > 2 || strings.ContainsAny(decimals, "+-") {
		return 0, fmt.Errorf("%q is no amount of paise", string(a))
	}
	paise, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount of paise", string(a))
	}
	return paise, nil
}

// UnmarshalJSON keeps the digits that were sent. One with a third decimal is given as it came: rounding would hide it.
func (a *Amount) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	if strings.ContainsAny(text, "eE") {
		*a = Amount(text)
		return nil
	}
	whole, decimals, _ := strings.Cut(text, ".")
	for len(decimals) < 2 {
		decimals += "0"
	}
	*a = Amount(whole + "." + decimals)
	return nil
}
